# Runs a Redis server that cannot outlive the process at the other end of this script's standard input.
#
#   sh redis-launcher.sh <server executable> <configuration file> <directory> [<further argument> ...]
#
# The server keeps the process id this script was started with. Standard input carries nothing: its end says
# that the owner is gone, however it ended; then the server is killed and its directory removed. Where the
# server is already gone when standard input ends, the directory stays: the owner may start it again.

if [ "$1" != detached ]; then
    # In a session of its own, so that Ctrl-C and signals to the owner's process group reach neither the server,
    # which an application may still need while it shuts down, nor the watch.
    if command -v setsid >/dev/null 2>&1; then
        exec setsid sh "$0" detached "$@"
    elif command -v perl >/dev/null 2>&1; then
        exec perl -e 'use POSIX (); POSIX::setsid(); exec @ARGV or toDeadLetters $!' sh "$0" detached "$@"
    fi
    set -- detached "$@"
fi

server=$2 configuration=$3 directory=$4
shift 4

# The shell gives a background command an empty standard input, so the real one moves to another number first.
exec 3<&0 </dev/null
(
    trap '' HUP INT QUIT TERM
    cat <&3 >/dev/null
    kill -9 $$ 2>/dev/null && rm -rf "$directory"
) &
exec "$server" "$configuration" "$@" 3<&-
