package io.delayqueue.redis;

import io.delayqueue.redis.RedisCallException.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.util.ClassUtils;

/**
 * What an exception of a Redis client says about the command that failed.
 *
 * @param trouble what happened
 * @param sentence Redis' own words, or else the client's
 */
record Verdict(Trouble trouble, String sentence) {

    /** The state of the server, which doesn't change while a script runs, or of what the script was called with. */
    private static final List<String> BEFORE_WRITES = List.of(
            "OOM",
            "READONLY",
            "LOADING",
            "MASTERDOWN",
            "CLUSTERDOWN",
            "TRYAGAIN",
            "MOVED",
            "CROSSSLOT",
            "BUSY",
            "NOREPLICAS",
            "MISCONF",
            "NOAUTH",
            "NOSCRIPT");

    private static final boolean LETTUCE = isPresent("io.lettuce.core.RedisClient");
    private static final boolean JEDIS = isPresent("redis.clients.jedis.UnifiedJedis");

    /** What happened to a command. */
    enum Trouble {
        /** Redis answered with an error. */
        ANSWERED(Kind.REFUSED),
        /** The command did not leave this process. */
        NOT_SENT(Kind.NOT_SENT),
        /** No answer in time. */
        TIMED_OUT(Kind.UNKNOWN),
        /** The connection broke, or nobody knows. */
        BROKEN(Kind.UNKNOWN);

        private final Kind kind;

        Trouble(Kind kind) {
            this.kind = kind;
        }

        Kind kind() {
            return kind;
        }
    }

    static Verdict of(@Nullable Throwable failure) {
        Throwable root = failure;
        boolean late = false;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            Trouble trouble = told(cause);
            if (trouble != null) {
                return new Verdict(trouble, sentence(trouble == Trouble.ANSWERED ? cause : deepest(cause)));
            }
            late |= cause instanceof QueryTimeoutException;
            root = cause;
        }
        return new Verdict(late ? Trouble.TIMED_OUT : Trouble.BROKEN, sentence(root));
    }

    /** Whether Redis answered with this error, by itself or (before Redis 7) wrapped in the error of the script. */
    boolean names(String code) {
        return trouble == Trouble.ANSWERED && (sentence.startsWith(code + " ") || sentence.contains("-" + code + " "));
    }

    /** Whether Redis answers with this error before a script's first write, or not at all. */
    boolean precedesWrites() {
        return BEFORE_WRITES.stream().anyMatch(this::names)
                || (sentence.startsWith("NOPERM ") && !sentence.contains("script"));
    }

    private static @Nullable Trouble told(Throwable cause) {
        Trouble trouble = LETTUCE ? LettuceDriver.trouble(cause) : null;
        return trouble == null && JEDIS ? JedisDriver.trouble(cause) : trouble;
    }

    private static Throwable deepest(Throwable failure) {
        Throwable deepest = failure;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            deepest = cause;
        }
        return deepest;
    }

    private static String sentence(@Nullable Throwable failure) {
        String message = failure == null ? null : failure.getMessage();
        return message != null ? message : String.valueOf(failure);
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, Verdict.class.getClassLoader());
    }
}
