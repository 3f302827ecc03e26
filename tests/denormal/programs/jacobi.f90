! SPDX-License-Identifier: MIT
! The relaxation of jacobi.c: by loops, or by operations of whole arrays (argument `whole').
program jacobi
  implicit none
  integer, parameter :: n = 512, sweeps = 768
  real, allocatable :: a(:, :), b(:, :)
  character(len=8) :: how
  integer :: s
  allocate (a(n, n), b(n, n))
  a = 0
  a(1, :) = 1; a(n, :) = 1; a(:, 1) = 1; a(:, n) = 1
  b = a
  call get_command_argument(1, how)
  do s = 1, sweeps, 2
    if (how == 'whole') then
      call whole(a, b)
      call whole(b, a)
    else
      call loops(a, b)
      call loops(b, a)
    end if
  end do
  print '(z8.8, 1x, es23.15)', transfer(sum(a), 1), sum(real(a, 8))
contains
  subroutine loops(x, y)
    real, intent(in) :: x(:, :)
    real, intent(out) :: y(:, :)
    integer :: i, j
    do j = 2, n - 1
      do i = 2, n - 1
        y(i, j) = (x(i, j - 1) + x(i, j + 1) + x(i - 1, j) + x(i + 1, j))*0.25
      end do
    end do
  end subroutine loops
  subroutine whole(x, y)
    real, intent(in) :: x(:, :)
    real, intent(out) :: y(:, :)
    y(2:n - 1, 2:n - 1) = (x(2:n - 1, 1:n - 2) + x(2:n - 1, 3:n) + x(1:n - 2, 2:n - 1) + x(3:n, 2:n - 1))*0.25
  end subroutine whole
end program jacobi
