! SPDX-License-Identifier: MIT
module m
  type cell
    integer(8) :: hits
    real(8) :: total
  end type
  type(cell), save :: cells(4)
contains
  subroutine touch(c, x)
    type(cell), intent(inout) :: c
    real(8), intent(in) :: x
    c%hits = c%hits + 1
    if (x > 0) c%total = c%total + x
  end subroutine
  subroutine loop(k)
    integer, intent(in) :: k
    integer :: i
    do i = 1, 15000000
      call touch(cells(k), dble(i))
    end do
  end subroutine
end module
program p
  use m
  use omp_lib
  cells%hits = 0
  cells%total = 0
!$omp parallel num_threads(2)
  call loop(omp_get_thread_num() + 1)
!$omp end parallel
  print *, cells(1)%hits + cells(2)%hits
end program
