package io.delayqueue.autoconfigure;

/** A property of listeners is out of range, or two do not go together. */
final class InvalidListenerPropertiesException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String where;

    InvalidListenerPropertiesException(String where, String problem, Throwable cause) {
        super("Under " + where + ": " + problem, cause);
        this.where = where;
    }

    String where() {
        return where;
    }
}
