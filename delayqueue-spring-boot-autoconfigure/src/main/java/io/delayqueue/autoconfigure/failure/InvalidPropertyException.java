package io.delayqueue.autoconfigure.failure;

import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/** The value of a property is out of range, or two values do not go together. */
public final class InvalidPropertyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final Pattern NAMED = Pattern.compile("([a-z][A-Za-z]*)( .*)", Pattern.DOTALL);

    private final String property;

    private InvalidPropertyException(String property, String problem, @Nullable Throwable cause) {
        super(problem, cause);
        this.property = property;
    }

    /**
     * Has values checked by what they are for.
     *
     * @param prefix what the properties begin with, for a message that begins with the name of a value
     * @param elsewhere values whose properties have other names, in full
     * @param made what checks its values and says what is wrong with them
     * @throws InvalidPropertyException in a sentence that names the property
     */
    public static <T> T check(String prefix, Map<String, String> elsewhere, Supplier<T> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException e) {
            throw of(prefix, elsewhere, e);
        }
    }

    private static InvalidPropertyException of(
            String prefix, Map<String, String> elsewhere, IllegalArgumentException e) {
        String message = String.valueOf(e.getMessage());
        if (message.startsWith(prefix + ".")) {
            return new InvalidPropertyException(message.substring(0, message.indexOf(' ')), message, e);
        }
        Matcher named = NAMED.matcher(message);
        if (!named.matches()) {
            return new InvalidPropertyException(prefix, message, e);
        }
        String value = named.group(1);
        String property = elsewhere.getOrDefault(value, prefix + "." + DataObjectPropertyName.toDashedForm(value));
        return new InvalidPropertyException(property, property + named.group(2), e);
    }

    /** The property, or what those have in common that do not go together. */
    public String property() {
        return property;
    }
}
