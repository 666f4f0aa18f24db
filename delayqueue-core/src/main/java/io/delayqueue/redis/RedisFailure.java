package io.delayqueue.redis;

import io.delayqueue.redis.RedisCallException.Kind;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.QueryTimeoutException;

/**
 * The classification of an exception of a Redis client.
 *
 * @param type the kind of failure
 * @param message message of Redis, or of the client if Redis sent none
 */
record RedisFailure(Type type, String message) {

    /** How Redis reports that a user may not run a command of a script: before 7.2, and since. */
    private static final List<String> DENIED_IN_SCRIPT =
            List.of("The user executing the script can't", "ACL failure in script");

    /**
     * Errors that occur before a script's first write: they depend on the server's state, which does not change while a
     * script runs, or on the keys of the call.
     */
    private static final List<String> BEFORE_WRITES = List.of(
            "READONLY",
            "LOADING",
            "MASTERDOWN",
            "CLUSTERDOWN",
            "CROSSSLOT",
            "BUSY",
            "NOREPLICAS",
            "MISCONF",
            "NOAUTH",
            "NOSCRIPT");

    /** How the messages of Lettuce begin that rejects a command before it is written. */
    private static final List<String> REJECTED_BY_CLIENT = List.of(
            "Connection is closed",
            "Currently not connected",
            "Request queue size exceeded",
            "Command buffer size exceeded");

    /** The kind of failure of a command. */
    enum Type {
        /** Redis replied with an error. */
        ERROR_REPLY,
        /** The command did not leave this process. */
        NOT_SENT,
        /** No reply arrived in time. */
        TIMED_OUT,
        /** The connection broke, or the failure is unknown. */
        BROKEN
    }

    static RedisFailure of(@Nullable Throwable failure) {
        boolean late = false;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            Type type = classified(cause);
            if (type != null) {
                return new RedisFailure(
                        type,
                        messageOf(type == Type.ERROR_REPLY ? cause : NestedExceptionUtils.getMostSpecificCause(cause)));
            }
            late |= cause instanceof QueryTimeoutException;
        }
        return new RedisFailure(
                late ? Type.TIMED_OUT : Type.BROKEN,
                messageOf(failure == null ? null : NestedExceptionUtils.getMostSpecificCause(failure)));
    }

    /** Whether Redis replied with this error, directly or (before Redis 7) wrapped in the error of the script. */
    boolean names(String code) {
        return type == Type.ERROR_REPLY && (message.startsWith(code + " ") || message.contains("-" + code + " "));
    }

    /** Text that helps to correct the error, if the error does not say how; empty otherwise. */
    private String hint() {
        if (names("NOREPLICAS")) {
            return " (fewer replicas are connected than min-replicas-to-write requires)";
        }
        boolean denied = names("NOPERM") || DENIED_IN_SCRIPT.stream().anyMatch(message::contains);
        return denied ? " (the user lacks a permission, which ACL LOG names)" : "";
    }

    /** A message of Redis or the client with what to correct, if the message does not say that. */
    static String explained(String message) {
        if (message.contains("Invalid first byte")) {
            return message
                    + " (the port does not speak Redis; check spring.data.redis.port and spring.data.redis.ssl.enabled)";
        }
        return message.contains("NOAUTH") || message.contains("WRONGPASS")
                ? message + " (check spring.data.redis.username and spring.data.redis.password)"
                : message;
    }

    /** The exception of a call that failed in this way. */
    RedisCallException exception(ScriptCall call, LettuceClient client, @Nullable Throwable cause) {
        String text = switch (type) {
            case ERROR_REPLY -> "Redis rejected the " + call + ": " + explained(message) + hint();
            case NOT_SENT -> client.server() + " cannot be reached for the " + call + ": " + explained(message);
            case TIMED_OUT -> "Redis did not reply to the " + call + " in time: " + message;
            case BROKEN -> "The outcome of the " + call + " is unknown: " + message;
        };
        return new RedisCallException(kind(), text, cause);
    }

    /** The effect of a script that failed in this way. */
    private Kind kind() {
        return switch (type) {
            case NOT_SENT -> Kind.NOT_SENT;
            case TIMED_OUT, BROKEN -> Kind.UNKNOWN;
            case ERROR_REPLY ->
                names("TRYAGAIN") || names("MOVED") || names("ASK")
                        ? Kind.TRY_AGAIN
                        : names("OOM") ? Kind.MEMORY_FULL : precedesWrites() ? Kind.REJECTED : Kind.STOPPED;
        };
    }

    /** Whether this error only occurs before a script's first write. */
    private boolean precedesWrites() {
        return BEFORE_WRITES.stream().anyMatch(this::names)
                || (message.startsWith("NOPERM ") && !message.contains("script"));
    }

    /** Null if the exception says nothing about the command. */
    private static @Nullable Type classified(Throwable failure) {
        if (failure instanceof RedisCommandExecutionException) {
            return Type.ERROR_REPLY;
        }
        if (failure instanceof RedisCommandTimeoutException) {
            return Type.TIMED_OUT;
        }
        if (failure instanceof RedisConnectionException || failure instanceof PartitionException) {
            return Type.NOT_SENT;
        }
        String message = String.valueOf(failure.getMessage());
        return failure instanceof RedisException && REJECTED_BY_CLIENT.stream().anyMatch(message::startsWith)
                ? Type.NOT_SENT
                : null;
    }

    private static String messageOf(@Nullable Throwable failure) {
        String message = failure == null ? null : failure.getMessage();
        return message != null ? message : String.valueOf(failure);
    }
}
