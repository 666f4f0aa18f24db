package io.delayqueue.autoconfigure.failure;

import io.delayqueue.message.InvalidOptionException;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/** Thrown if the value of a property is invalid, or if two values contradict each other. */
public final class InvalidPropertyException extends StartFailedException {

    private static final long serialVersionUID = 1L;

    private InvalidPropertyException(String property, String problem, @Nullable Throwable cause) {
        super(problem + ".", "Correct the value of " + property + ".", cause);
    }

    /**
     * Creates an object whose constructor or factory checks its options, and translates the name of an invalid option
     * to that of the property.
     *
     * @param prefix the prefix of the properties; the rest of a name is the dashed name of the option
     * @param made creates the object
     * @throws InvalidPropertyException if an option is invalid; the message names the property
     */
    public static <T> T check(String prefix, Supplier<T> made) {
        return check(prefix, Map.of(), made);
    }

    /**
     * Creates an object as {@link #check(String, Supplier)} does.
     *
     * @param exceptions full names of properties that do not consist of prefix and option, by the option
     */
    public static <T> T check(String prefix, Map<String, String> exceptions, Supplier<T> made) {
        try {
            return made.get();
        } catch (InvalidOptionException e) {
            String property =
                    exceptions.getOrDefault(e.option(), prefix + "." + DataObjectPropertyName.toDashedForm(e.option()));
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
}
