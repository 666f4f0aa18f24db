package io.delayqueue.autoconfigure.property;

import io.delayqueue.message.InvalidOptionException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Listeners with once, which require the artifact delayqueue-jdbc.
 *
 * @param table Table in which listeners with once record handled messages, with or without a schema.
 * @param retention Time after which a record is removed, 1 d to 3,650 d and at least 1 d more than the handling time of each
 *     listener with once. A message that is delivered again later is handled again.
 * @param cleanUpInterval Average interval at which a node removes expired records, 1 s to 1 d.
 */
public record OnceProperties(
        @DefaultValue("delayqueue_handled") String table,
        @DefaultValue("7d") Duration retention,
        @DefaultValue("10m") Duration cleanUpInterval) {

    /** The values of an application that sets none of these properties. */
    public static final OnceProperties DEFAULTS =
            new OnceProperties("delayqueue_handled", Duration.ofDays(7), Duration.ofMinutes(10));

    private static final Pattern TABLE = Pattern.compile("[A-Za-z0-9_$]{1,128}(\\.[A-Za-z0-9_$]{1,128}){0,2}");

    /**
     * Checks the values.
     *
     * @throws InvalidOptionException if one is out of range
     */
    public OnceProperties check() {
        InvalidOptionException.require(
                TABLE.matcher(table).matches(),
                "table",
                "must be the name of a table of letters, digits and underscores, but was '" + table + "'");
        InvalidOptionException.requireRange("retention", retention, Duration.ofDays(1), Duration.ofDays(3650));
        InvalidOptionException.requireRange(
                "cleanUpInterval", cleanUpInterval, Duration.ofSeconds(1), Duration.ofDays(1));
        return this;
    }
}
