package io.delayqueue.autoconfigure.failure;

import io.delayqueue.message.InvalidOptionException;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/** Thrown if the value of a property is invalid, or if two values contradict each other. */
public final class InvalidPropertyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String property;

    private InvalidPropertyException(String property, String problem, @Nullable Throwable cause) {
        super(problem, cause);
        this.property = property;
    }

    /**
     * Creates an object whose constructor or factory checks its options, and translates the name of an invalid option
     * to that of the property.
     *
     * @param prefix the prefix of the properties, whose names otherwise are those of the options
     * @param exceptions full names of properties that differ from prefix and option, by the option
     * @param made creates the object
     * @throws InvalidPropertyException if an option is invalid; the message names the property
     */
    public static <T> T check(String prefix, Map<String, String> exceptions, Supplier<T> made) {
        try {
            return made.get();
        } catch (InvalidOptionException e) {
            String property = exceptions.getOrDefault(e.option(), prefix + "." + dashed(e.option()));
            throw new InvalidPropertyException(property, property + " " + e.problem(), e);
        } catch (IllegalArgumentException e) {
            throw new InvalidPropertyException(prefix, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Creates an exception for one property.
     *
     * @param property its name
     * @param problem the rest of a sentence that begins with the name
     */
    public static InvalidPropertyException of(String property, String problem) {
        return new InvalidPropertyException(property, property + " " + problem, null);
    }

    /** Converts an option to dashed form, except a map key in brackets. */
    private static String dashed(String option) {
        int key = option.indexOf('[');
        return key < 0
                ? DataObjectPropertyName.toDashedForm(option)
                : DataObjectPropertyName.toDashedForm(option.substring(0, key)) + option.substring(key);
    }

    /** The name of the property, or the common prefix of the properties. */
    String property() {
        return property;
    }
}
