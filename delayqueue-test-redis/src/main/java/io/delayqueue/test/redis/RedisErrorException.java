package io.delayqueue.test.redis;

/** Thrown if Redis replies to a command with an error. */
public final class RedisErrorException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RedisErrorException(String message) {
        super(message);
    }

    /**
     * The first word of the error, such as {@code ERR}, {@code WRONGTYPE}, {@code OOM} or {@code NOAUTH}.
     *
     * @return the error's code
     */
    public String code() {
        String message = String.valueOf(getMessage());
        int end = message.indexOf(' ');
        return end < 0 ? message : message.substring(0, end);
    }
}
