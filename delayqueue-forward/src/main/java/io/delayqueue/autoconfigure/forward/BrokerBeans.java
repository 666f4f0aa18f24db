package io.delayqueue.autoconfigure.forward;

import io.delayqueue.forward.Broker;
import io.delayqueue.message.InvalidOptionException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;

/** Finds the broker bean of a forward, and creates one broker per bean. Not thread-safe. */
final class BrokerBeans {

    private static final Map<String, String> STARTERS = Map.of(
            "kafka", "a KafkaTemplate, as spring-boot-starter-kafka makes it",
            "rabbitmq", "a RabbitTemplate, as spring-boot-starter-amqp makes it",
            "jms", "a JmsTemplate, as spring-boot-starter-jms makes it for a ConnectionFactory",
            "rocketmq", "a RocketMQTemplate, as rocketmq-spring-boot-starter makes it");

    private final ListableBeanFactory beans;
    private final List<BrokerKind> kinds;
    private final Map<Object, Broker> brokers = new HashMap<>();

    BrokerBeans(ListableBeanFactory beans, List<BrokerKind> kinds) {
        this.beans = beans;
        this.kinds = kinds;
    }

    /**
     * Finds a broker.
     *
     * @throws InvalidOptionException with the name "to" if there is no suitable bean
     */
    Broker find(String to) {
        if (STARTERS.containsKey(to)) {
            return kinds.stream()
                    .filter(kind -> kind.keyword().equals(to))
                    .findFirst()
                    .flatMap(this::only)
                    .orElseThrow(() -> new InvalidOptionException(
                            "to", "is '" + to + "', but there is no bean for it: add " + STARTERS.get(to)));
        }
        return named(to);
    }

    private Optional<Broker> only(BrokerKind kind) {
        try {
            return Optional.ofNullable(beans.getBeanProvider(kind.type()).getIfAvailable())
                    .map(bean -> broker(kind, bean));
        } catch (NoUniqueBeanDefinitionException e) {
            throw new InvalidOptionException(
                    "to",
                    "is '" + kind.keyword() + "', but there are several beans of type "
                            + kind.type().getSimpleName() + ": "
                            + Arrays.stream(beans.getBeanNamesForType(kind.type()))
                                    .sorted()
                                    .collect(Collectors.joining(", "))
                            + "; name one of them there, or mark one with @Primary",
                    e);
        }
    }

    private Broker named(String to) {
        if (!beans.containsBean(to)) {
            throw new InvalidOptionException(
                    "to",
                    "is '" + to + "', but this is none of kafka, rabbitmq, jms and rocketmq, and there"
                            + " is no bean of that name" + candidates());
        }
        Object bean = beans.getBean(to);
        return kinds.stream()
                .filter(kind -> kind.type().isInstance(bean))
                .findFirst()
                .map(kind -> broker(kind, bean))
                .orElseThrow(() -> new InvalidOptionException(
                        "to",
                        "is '" + to + "', but that bean is a "
                                + bean.getClass().getName() + ", and none of: "
                                + kinds.stream()
                                        .map(kind -> kind.type().getSimpleName())
                                        .collect(Collectors.joining(", "))));
    }

    private String candidates() {
        String names = kinds.stream()
                .flatMap(kind -> Stream.of(beans.getBeanNamesForType(kind.type())))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "" : "; there are: " + names;
    }

    private Broker broker(BrokerKind kind, Object bean) {
        return brokers.computeIfAbsent(bean, kind.brokers());
    }

    /** Closes the created brokers. */
    void close() {
        brokers.values().forEach(Broker::close);
        brokers.clear();
    }
}
