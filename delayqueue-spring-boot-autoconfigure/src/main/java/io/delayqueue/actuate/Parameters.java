package io.delayqueue.actuate;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** The parameters of one request as strings. The message of a rejection names the parameter. */
final class Parameters {

    private final String operation;
    private final Map<String, Object> given;

    private Parameters(String operation, Map<String, Object> given) {
        this.operation = operation;
        this.given = given;
    }

    /**
     * Returns the parameters among the arguments of an operation. Names with a leading underscore are ignored; they are
     * for other purposes, such as Spring Security's {@code _csrf}.
     */
    static Parameters of(Map<String, Object> arguments, List<String> selectors) {
        Map<String, Object> given = new TreeMap<>();
        arguments.forEach((name, value) -> {
            if (value != null && !name.startsWith("_") && !selectors.contains(name)) {
                given.put(name, value);
            }
        });
        return new Parameters("", given);
    }

    /**
     * Rejects other parameters, because they may have been meant to restrict the operation, for example to dead letters
     * before a date. Rejects repeated parameters, too.
     *
     * @param operation the view or action, as in "The view 'topic'"
     */
    Parameters only(String operation, List<String> known) {
        given.forEach((name, value) -> {
            if (!known.contains(name)) {
                throw RejectedRequestException.badRequest(
                        operation + " has no parameter '" + name + "'. Parameters: " + String.join(", ", known) + ".");
            }
            if (value instanceof Collection) {
                throw RejectedRequestException.badRequest("The parameter '" + name + "' is given more than once.");
            }
        });
        return new Parameters(operation, given);
    }

    boolean has(String name) {
        return given.containsKey(name);
    }

    @Nullable
    String text(String name) {
        Object value = given.get(name);
        return value == null ? null : value.toString();
    }

    String required(String name) {
        String value = text(name);
        if (value == null) {
            throw RejectedRequestException.badRequest(operation + " requires the parameter '" + name + "'.");
        }
        return value;
    }

    int number(String name, int defaultValue, int max) {
        if (!has(name)) {
            return defaultValue;
        }
        String expected = "an integer from 1 to " + max;
        int number = parse(name, Integer::valueOf, expected);
        if (number < 1 || number > max) {
            throw wrong(name, expected);
        }
        return number;
    }

    @Nullable
    Integer integer(String name) {
        return has(name) ? parse(name, Integer::valueOf, "an integer") : null;
    }

    @Nullable
    Long longInteger(String name) {
        return has(name) ? parse(name, Long::valueOf, "an integer") : null;
    }

    boolean flag(String name, boolean defaultValue) {
        String value = text(name);
        if (value == null) {
            return defaultValue;
        }
        if (value.equals("true") || value.equals("false")) {
            return Boolean.parseBoolean(value);
        }
        throw wrong(name, "true or false");
    }

    Duration duration(String name) {
        return parse(name, DurationStyle::detectAndParse, "a duration such as PT10M, 10m or 600000 (ms)");
    }

    Instant instant(String name) {
        return parse(name, Instant::parse, "an instant such as 2030-01-31T12:00:00Z");
    }

    private <T> T parse(String name, Function<String, T> parser, String expected) {
        String value = required(name);
        try {
            return parser.apply(value);
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            throw wrong(name, expected);
        }
    }

    RejectedRequestException wrong(String name, String expected) {
        return RejectedRequestException.badRequest(
                "The parameter '" + name + "' must be " + expected + ", but was '" + given.get(name) + "'.");
    }
}
