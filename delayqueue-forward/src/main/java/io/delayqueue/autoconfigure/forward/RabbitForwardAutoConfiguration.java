package io.delayqueue.autoconfigure.forward;

import io.delayqueue.forward.rabbit.RabbitBroker;
import io.delayqueue.message.DaemonThreads;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.annotation.Order;

/** Auto-configuration of forwarding to RabbitMQ. */
@AutoConfiguration(after = ForwardAutoConfiguration.class)
@ConditionalOnClass(RabbitTemplate.class)
@ConditionalOnBean(Forwards.class)
@ImportRuntimeHints(RabbitRuntimeHints.class)
public final class RabbitForwardAutoConfiguration {

    @Bean
    @Order(2)
    BrokerKind delayQueueRabbitKind() {
        return BrokerKind.of(
                "rabbitmq",
                RabbitTemplate.class,
                template ->
                        new RabbitBroker(template.getConnectionFactory(), DaemonThreads.executor("delayqueue-rabbit")));
    }
}
