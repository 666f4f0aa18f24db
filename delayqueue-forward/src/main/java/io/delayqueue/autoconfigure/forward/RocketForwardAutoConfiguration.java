package io.delayqueue.autoconfigure.forward;

import io.delayqueue.forward.rocket.RocketBroker;
import org.apache.rocketmq.spring.core.RocketMQTemplate;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/** Auto-configuration of forwarding to RocketMQ. */
@AutoConfiguration(after = ForwardAutoConfiguration.class)
@ConditionalOnClass(RocketMQTemplate.class)
@ConditionalOnBean(Forwards.class)
public final class RocketForwardAutoConfiguration {

    @Bean
    @Order(4)
    BrokerKind delayQueueRocketKind() {
        return BrokerKind.of("rocketmq", RocketMQTemplate.class, template -> new RocketBroker(template.getProducer()));
    }
}
