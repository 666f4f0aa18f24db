package io.delayqueue.annotation;

import io.delayqueue.listener.RetryPolicy;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Reads the attributes of one annotation: placeholders first, then SpEL, then as what it is to be. */
final class AttributeReader {

    private final ConfigurableBeanFactory beanFactory;
    private final Origin origin;

    AttributeReader(ConfigurableBeanFactory beanFactory, Origin origin) {
        this.beanFactory = beanFactory;
        this.origin = origin;
    }

    /** Empty if it is not given. */
    String text(String attribute, String raw) {
        String text = read(attribute, raw, String.class, Function.identity(), e -> "which is not a text");
        return text == null ? "" : text;
    }

    @Nullable
    Integer number(String attribute, String raw) {
        return read(attribute, raw, Integer.class, Integer::valueOf, e -> "which is not a whole number");
    }

    @Nullable
    Duration duration(String attribute, String raw) {
        return read(
                attribute,
                raw,
                Duration.class,
                DurationFormatterUtils::detectAndParse,
                e -> "which is not a duration such as 30s, 2m or 1h30m");
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
                this::parseRetryPolicy,
                e -> "which is neither a back-off nor the name of a RetryPolicy bean: " + e.getMessage());
    }

    private RetryPolicy parseRetryPolicy(String text) {
        if (BackoffExpression.matches(text)) {
            return BackoffExpression.parse(text);
        }
        try {
            return beanFactory.getBean(text, RetryPolicy.class);
        } catch (BeansException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
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
            Function<IllegalArgumentException, String> complaint) {
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
                    "Its attribute " + attribute + " is '" + value + "', " + complaint.apply(e) + ".",
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
                    "Its attribute " + attribute + " holds the expression '" + raw + "', which fails.",
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
                "Its attribute " + attribute + " is '" + raw + "', but there is no such property.",
                "Set the property, or give a default as in ${name:default}.",
                cause);
    }
}
