package io.delayqueue.store.script;

import io.delayqueue.message.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the failed attempts of a message, which {@code settle.lua} writes. */
final class FailedAttempts {

    private static final Pattern LINE =
            Pattern.compile("^(\\d{1,16}) (\\d{1,9}) (\\w+|-) (\\d{1,15}|-) (.*)$", Pattern.MULTILINE);

    private FailedAttempts() {}

    /** The failed attempts, the newest first. Lines of another form are skipped. */
    static List<Failure.Attempt> read(String text) {
        return LINE.matcher(text).results().map(FailedAttempts::attempt).toList();
    }

    private static Failure.Attempt attempt(MatchResult line) {
        return new Failure.Attempt(
                Instant.ofEpochMilli(Long.parseLong(line.group(1))),
                Integer.parseInt(line.group(2)),
                line.group(3).equals("-") ? null : line.group(3),
                line.group(4).equals("-") ? null : Duration.ofMillis(Long.parseLong(line.group(4))),
                line.group(5));
    }

    /** The failure of the newest failed attempt; null if there is none. */
    static @Nullable String newest(String text) {
        List<Failure.Attempt> attempts = read(text);
        return attempts.isEmpty() ? null : attempts.get(0).failure();
    }
}
