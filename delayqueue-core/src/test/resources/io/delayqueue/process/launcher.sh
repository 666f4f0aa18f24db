# Runs a program that cannot outlive the process at the other end of this script's standard input.
#
#   sh launcher.sh <executable> [<argument> ...]
#
# It keeps the process id that this script was started with.
exec 3<&0 </dev/null
(
    trap '' HUP INT QUIT TERM
    cat <&3 >/dev/null
    # The program is the parent of this process while it runs. After its end, another process may get its id.
    self=$(exec sh -c 'echo $PPID')
    parent=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$self/status" 2>/dev/null || ps -o ppid= -p "$self")
    [ $((parent)) = $$ ] && kill -9 $$ 2>/dev/null
) >/dev/null 2>&1 &
exec "$@" 3<&-
