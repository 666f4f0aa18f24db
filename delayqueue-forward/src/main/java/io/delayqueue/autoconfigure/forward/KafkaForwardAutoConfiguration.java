package io.delayqueue.autoconfigure.forward;

import io.delayqueue.forward.kafka.KafkaBroker;
import io.delayqueue.message.InvalidOptionException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;

/** Auto-configuration of forwarding to Kafka. */
@AutoConfiguration(after = ForwardAutoConfiguration.class)
@ConditionalOnClass(KafkaTemplate.class)
@ConditionalOnBean(Forwards.class)
public final class KafkaForwardAutoConfiguration {

    @Bean
    @Order(1)
    BrokerKind delayQueueKafkaKind() {
        return BrokerKind.of("kafka", KafkaTemplate.class, template -> new KafkaBroker(producers(template)));
    }

    private static ProducerFactory<?, ?> producers(KafkaTemplate<?, ?> template) {
        try {
            return template.getProducerFactory();
        } catch (UnsupportedOperationException severalOfThem) {
            throw new InvalidOptionException(
                    "to",
                    "names a " + template.getClass().getSimpleName()
                            + ", which has several ProducerFactories; name a KafkaTemplate with a single one",
                    severalOfThem);
        }
    }
}
