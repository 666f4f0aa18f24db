package io.delayqueue.annotation;

import io.delayqueue.annotation.DelayListenerEndpoint.Handling;
import io.delayqueue.annotation.DelayListenerEndpoint.Handling.OfDeadLetters;
import io.delayqueue.annotation.DelayListenerEndpoint.Handling.OfMessages;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryPolicy;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.Printable;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Creates the endpoints of a method's annotations. For each attribute it resolves placeholders, evaluates SpEL, and
 * converts the value to the attribute's type.
 */
final class EndpointReader {

    private final ConfigurableBeanFactory beanFactory;
    private final Origin origin;
    private final Supplier<String> defaultId;

    EndpointReader(ConfigurableBeanFactory beanFactory, Origin origin, Supplier<String> defaultId) {
        this.beanFactory = beanFactory;
        this.origin = origin;
        this.defaultId = defaultId;
    }

    /**
     * Creates the endpoints of a listener of messages, one for each topic.
     *
     * @param once returns the handling for a listener of a given id that handles each message once
     */
    List<DelayListenerEndpoint> read(DelayListener annotation, OfMessages messages, Function<String, OfMessages> once) {
        Integer batchSize = number("batchSize", annotation.batchSize());
        if (batchSize != null && !messages.batch()) {
            throw origin.invalid(
                    "It has a batchSize, but the method takes one message.",
                    "Take a List of payloads, or remove batchSize.");
        }
        RetryPolicy policy = read(
                "backoff",
                annotation.backoff(),
                RetryPolicy.class,
                text -> RetryPolicies.read(text, beanFactory),
                Throwable::getMessage);
        List<Consumer<ListenerOptions.Builder>> options = List.of(
                option(ListenerOptions.Builder::batchSize, batchSize),
                option(ListenerOptions.Builder::concurrency, number("concurrency", annotation.concurrency())),
                option(ListenerOptions.Builder::lease, duration("lease", annotation.lease())),
                option(ListenerOptions.Builder::maxAttempts, number("maxAttempts", annotation.maxAttempts())),
                option(
                        ListenerOptions.Builder::maxPostponements,
                        number("maxPostponements", annotation.maxPostponements())),
                option(ListenerOptions.Builder::retryPolicy, policy),
                option(ListenerOptions.Builder::notRetryable, exceptions(annotation.notRetryable())),
                option(ListenerOptions.Builder::unavailableOn, exceptions(annotation.unavailableOn())),
                option(ListenerOptions.Builder::handlingTime, duration("handlingTime", annotation.handlingTime())),
                option(ListenerOptions.Builder::prefetch, number("prefetch", annotation.prefetch())),
                option(ListenerOptions.Builder::prefetchTime, duration("prefetchTime", annotation.prefetchTime())),
                option(ListenerOptions.Builder::drainTime, duration("drainTime", annotation.drainTime())));
        boolean isOnce = Boolean.TRUE.equals(flag("once", annotation.once()));
        return endpoints(
                annotation.topic(),
                annotation.id(),
                id -> isOnce ? once.apply(id) : messages,
                builder -> options.forEach(option -> option.accept(builder)),
                cron(annotation),
                annotation.autoStartup(),
                annotation.containerFactory());
    }

    /** Creates the endpoints of a listener of dead letters, one for each topic. */
    List<DelayListenerEndpoint> read(DeadLetterListener annotation, OfDeadLetters deadLetters) {
        return endpoints(
                annotation.topic(),
                annotation.id(),
                id -> deadLetters,
                option(ListenerOptions.Builder::concurrency, number("concurrency", annotation.concurrency())),
                endpoint -> {},
                annotation.autoStartup(),
                annotation.containerFactory());
    }

    private List<DelayListenerEndpoint> endpoints(
            String[] rawTopics,
            String rawId,
            Function<String, Handling> handling,
            Consumer<ListenerOptions.Builder> options,
            Consumer<DelayListenerEndpoint.Builder> cron,
            String autoStartup,
            String containerFactory) {
        List<String> topics = topics(rawTopics);
        String id = id(rawId);
        return topics.stream()
                .map(topic -> {
                    String own = topics.size() == 1 ? id : id + "-" + topic;
                    DelayListenerEndpoint.Builder endpoint = DelayListenerEndpoint.to(topic);
                    cron.accept(endpoint);
                    return endpoint.id(own)
                            .handling(handling.apply(own))
                            .options(options)
                            .autoStartup(flag("autoStartup", autoStartup))
                            .containerFactory(text("containerFactory", containerFactory))
                            .origin(origin)
                            .build();
                })
                .toList();
    }

    private Consumer<DelayListenerEndpoint.Builder> cron(DelayListener annotation) {
        String cron = text("cron", annotation.cron()).trim();
        if (cron.isEmpty() && !annotation.cron().isEmpty()) {
            throw origin.invalid(
                    "Its attribute cron is '" + annotation.cron() + "', which is blank.",
                    "Set an expression, or - for no schedule.");
        }
        ZoneId zone = read("zone", annotation.zone(), ZoneId.class, EndpointReader::zone, Throwable::getMessage);
        if (zone != null && annotation.cron().isEmpty()) {
            throw origin.invalid("It has a zone, but no cron.", "Set cron, or remove zone.");
        }
        return cron.isEmpty() || cron.equals(Scheduled.CRON_DISABLED)
                ? endpoint -> {}
                : endpoint -> endpoint.cron(cron, zone == null ? ZoneId.systemDefault() : zone);
    }

    private static ZoneId zone(String name) {
        try {
            return ZoneId.of(name);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("which is no time zone", e);
        }
    }

    private List<String> topics(String[] raw) {
        if (raw.length == 0) {
            throw origin.invalid("Its topic is not set.", "Set the attribute topic.");
        }
        List<String> topics = new ArrayList<>();
        for (String each : raw) {
            Object value = each.isEmpty() ? null : evaluate("topic", each);
            int before = topics.size();
            if (value instanceof Collection<?> several) {
                several.forEach(one -> add(one, topics));
            } else if (value instanceof Object[] several) {
                Arrays.asList(several).forEach(one -> add(one, topics));
            } else {
                add(value, topics);
            }
            if (topics.size() == before) {
                throw origin.invalid(
                        "Its attribute topic is '" + each + "', which stands for no topic.",
                        "Correct the expression, so that it returns at least one topic.");
            }
        }
        return topics;
    }

    private void add(@Nullable Object value, List<String> topics) {
        String topic = value == null ? "" : value.toString();
        if (topic.isBlank()) {
            throw origin.invalid(
                    "Its attribute topic contains an empty name.", "Name a topic, or remove the empty text.");
        }
        if (topics.contains(topic)) {
            throw origin.invalid(
                    "Its attribute topic has '" + Printable.of(topic) + "' twice.",
                    "Remove one of them. If both are properties, give them different values.");
        }
        topics.add(topic);
    }

    private String id(String raw) {
        String id = text("id", raw);
        return id.isEmpty() ? defaultId.get() : id;
    }

    private static @Nullable List<Class<? extends Throwable>> exceptions(Class<? extends Throwable>[] types) {
        return types.length == 0 ? null : List.of(types);
    }

    private static <T> Consumer<ListenerOptions.Builder> option(
            BiConsumer<ListenerOptions.Builder, T> setter, @Nullable T value) {
        return value == null ? builder -> {} : builder -> setter.accept(builder, value);
    }

    /** Returns an empty text if the attribute is not set. */
    private String text(String attribute, String raw) {
        String text = read(attribute, raw, String.class, Function.identity(), e -> "which is not a string");
        return text == null ? "" : text;
    }

    private @Nullable Integer number(String attribute, String raw) {
        return read(attribute, raw, Integer.class, Integer::valueOf, e -> "which is not an integer");
    }

    private @Nullable Duration duration(String attribute, String raw) {
        return read(attribute, raw, Duration.class, DurationText::parse, e -> "which " + e.getMessage());
    }

    private @Nullable Boolean flag(String attribute, String raw) {
        return read(attribute, raw, Boolean.class, EndpointReader::parseFlag, e -> "which is neither true nor false");
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
        Object value = raw.isEmpty() ? null : evaluate(attribute, raw);
        if (value == null || (value instanceof String text && text.isBlank())) {
            return null;
        }
        if (type.isInstance(value)) {
            return type.cast(value);
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
        String resolved;
        try {
            resolved = Objects.requireNonNullElse(beanFactory.resolveEmbeddedValue(raw), "");
            if (resolved.contains("${")) {
                throw new IllegalArgumentException("No value for " + resolved);
            }
        } catch (IllegalArgumentException e) {
            throw origin.invalid(
                    "Its attribute " + attribute + " is '" + raw + "', but this property is not set.",
                    "Set the property, or give a default as in ${name:default}.",
                    e);
        }
        BeanExpressionResolver expressions = beanFactory.getBeanExpressionResolver();
        try {
            return expressions == null
                    ? resolved
                    : expressions.evaluate(resolved, new BeanExpressionContext(beanFactory, null));
        } catch (BeansException e) {
            throw origin.invalid(
                    "The expression '" + raw + "' of its attribute " + attribute + " fails.",
                    "Correct the expression.",
                    e);
        }
    }
}
