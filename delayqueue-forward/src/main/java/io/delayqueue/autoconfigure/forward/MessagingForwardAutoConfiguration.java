package io.delayqueue.autoconfigure.forward;

import io.delayqueue.forward.messaging.TemplateBroker;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.messaging.core.MessageSendingOperations;

/** Auto-configuration of forwarding through Spring messaging templates. */
@AutoConfiguration(after = ForwardAutoConfiguration.class)
@ConditionalOnBean(Forwards.class)
public final class MessagingForwardAutoConfiguration {

    @Bean
    @Order(5)
    BrokerKind delayQueueMessagingKind() {
        return BrokerKind.of(MessageSendingOperations.class, TemplateBroker::new);
    }
}
