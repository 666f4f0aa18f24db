# Runs a program that cannot outlive the process at the other end of this script's standard input.
#
#   sh launcher.sh <executable> [<argument> ...]
#
# It keeps the process id that this script was started with.
exec 3<&0 </dev/null
(
    trap '' HUP INT QUIT TERM
    cat <&3 >/dev/null
    kill -9 $$ 2>/dev/null
) >/dev/null 2>&1 &
exec "$@" 3<&-
