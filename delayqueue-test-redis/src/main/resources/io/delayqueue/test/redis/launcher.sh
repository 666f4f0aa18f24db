# Runs a server, and kills it when the process at the other end of this script's standard input ends.
#
#   sh launcher.sh <directory> <executable> [<argument> ...]
#
# The server keeps the process id of this script. Nothing is written to standard input. When it ends, the owner has
# ended, even by a crash: the server is killed and its directory is removed. If the server ended earlier, the directory
# is kept, because the owner may start the server again.

if [ "$1" != detached ]; then
    # Runs in a separate session, so that Ctrl-C and signals to the owner's process group reach neither the server,
    # which an application may still need while it shuts down, nor the process that reads standard input.
    if command -v setsid >/dev/null 2>&1; then
        exec setsid sh "$0" detached "$@"
    elif command -v perl >/dev/null 2>&1; then
        exec perl -e 'use POSIX (); POSIX::setsid(); exec @ARGV or die $!' sh "$0" detached "$@"
    fi
    set -- detached "$@"
fi

directory=$2
shift 2

# The shell gives a background command an empty standard input. Therefore the original is moved to descriptor 3.
exec 3<&0 </dev/null
(
    trap '' HUP INT QUIT TERM
    cat <&3 >/dev/null
    # The server is the parent of this process while it runs. After its end, another process may get its id.
    self=$(exec sh -c 'echo $PPID')
    parent=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$self/status" 2>/dev/null || ps -o ppid= -p "$self")
    [ $((parent)) = $$ ] && kill -9 $$ 2>/dev/null && rm -rf "$directory"
) &
exec "$@" 3<&-
