package io.delayqueue.autoconfigure.forward;

import io.delayqueue.forward.jms.JmsBroker;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.jms.core.JmsTemplate;

/** Auto-configuration of forwarding to JMS. */
@AutoConfiguration(after = ForwardAutoConfiguration.class)
@ConditionalOnClass(JmsTemplate.class)
@ConditionalOnBean(Forwards.class)
public final class JmsForwardAutoConfiguration {

    @Bean
    @Order(3)
    BrokerKind delayQueueJmsKind() {
        return BrokerKind.of("jms", JmsTemplate.class, JmsBroker::new);
    }
}
