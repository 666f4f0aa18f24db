package io.delayqueue.proof;

/**
 * One call of a handler in a process that may be killed. Times are in milliseconds since 1970. Messages with a greater place are
 * to be handled later.
 */
final class Attempt {
    final KillableConsumer consumer;
    final String id;
    final int place;
    final long start;
    long end = Long.MAX_VALUE;

    Attempt(KillableConsumer consumer, String id, int place, long start) {
        this.consumer = consumer;
        this.id = id;
        this.place = place;
        this.start = start;
    }

    boolean isKilled() {
        return end == Long.MAX_VALUE;
    }

    /** A process that is killed may still report a start in the same moment. */
    long end() {
        return Math.max(start, Math.min(end, consumer.endedAt()));
    }

    @Override
    public String toString() {
        return consumer + " " + id + " at place " + place + " from " + start + " to " + end();
    }
}
