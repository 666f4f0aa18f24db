package io.delayqueue.annotation;

import io.delayqueue.listener.RetryPolicy;
import io.delayqueue.message.DurationText;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Reads the attributes of one annotation: resolves placeholders, evaluates SpEL, then converts to the attribute's
 * type.
 */
final class AttributeReader {

    private final ConfigurableBeanFactory beanFactory;
    private final Origin origin;

    AttributeReader(ConfigurableBeanFactory beanFactory, Origin origin) {
        this.beanFactory = beanFactory;
        this.origin = origin;
    }

    /** Returns an empty text if the attribute is not set. */
    String text(String attribute, String raw) {
        String text = read(attribute, raw, String.class, Function.identity(), e -> "which is not a string");
        return text == null ? "" : text;
    }

    @Nullable
    Integer number(String attribute, String raw) {
        return read(attribute, raw, Integer.class, Integer::valueOf, e -> "which is not an integer");
    }

    @Nullable
    Duration duration(String attribute, String raw) {
        return read(attribute, raw, Duration.class, DurationText::parse, e -> "which " + e.getMessage());
    }

    @Nullable
    Boolean flag(String attribute, String raw) {
        return read(attribute, raw, Boolean.class, AttributeReader::parseFlag, e -> "which is neither true nor false");
    }

    @Nullable
    RetryPolicy retryPolicy(String attribute, String raw) {
        return read(
                attribute,
                raw,
                RetryPolicy.class,
                text -> RetryPolicies.read(text, beanFactory),
                Throwable::getMessage);
    }

    private static Boolean parseFlag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(text);
        };
    }

    private <T> @Nullable T read(
            String attribute,
            String raw,
            Class<T> type,
            Function<String, T> parser,
            Function<IllegalArgumentException, String> problem) {
        Object value = evaluate(attribute, raw);
        if (type.isInstance(value)) {
            return value instanceof String text && text.isBlank() ? null : type.cast(value);
        }
        if (value == null || (value instanceof String text && text.isBlank())) {
            return null;
        }
        try {
            return parser.apply(value.toString().trim());
        } catch (IllegalArgumentException e) {
            throw origin.invalid(
                    "Its attribute " + attribute + " is '" + value + "', " + problem.apply(e) + ".",
                    raw.equals(value) ? "Correct it." : "Correct what '" + raw + "' stands for.",
                    e);
        }
    }

    private @Nullable Object evaluate(String attribute, String raw) {
        if (raw.isEmpty()) {
            return raw;
        }
        String resolved = resolve(attribute, raw);
        BeanExpressionResolver expressions = beanFactory.getBeanExpressionResolver();
        if (expressions == null) {
            return resolved;
        }
        try {
            return expressions.evaluate(resolved, new BeanExpressionContext(beanFactory, null));
        } catch (BeansException e) {
            throw origin.invalid(
                    "The expression '" + raw + "' of its attribute " + attribute + " fails.",
                    "Correct the expression.",
                    e);
        }
    }

    private String resolve(String attribute, String raw) {
        String resolved;
        try {
            resolved = beanFactory.resolveEmbeddedValue(raw);
        } catch (IllegalArgumentException e) {
            throw unresolved(attribute, raw, e);
        }
        if (resolved != null && resolved.contains("${")) {
            throw unresolved(attribute, raw, null);
        }
        return resolved == null ? "" : resolved;
    }

    private InvalidListenerException unresolved(String attribute, String raw, @Nullable Exception cause) {
        return origin.invalid(
                "Its attribute " + attribute + " is '" + raw + "', but this property is not set.",
                "Set the property, or give a default as in ${name:default}.",
                cause);
    }
}
