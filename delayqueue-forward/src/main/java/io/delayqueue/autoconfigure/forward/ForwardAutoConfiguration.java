package io.delayqueue.autoconfigure.forward;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.DelayListenerAutoConfiguration;
import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.forward.ForwardMapper;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of forwarding due messages to message brokers. */
@AutoConfiguration(after = DelayListenerAutoConfiguration.class)
@ConditionalOnBean(DelayListenerRegistry.class)
public final class ForwardAutoConfiguration {

    @Bean(destroyMethod = "close")
    Forwards delayQueueForwards(
            DelayQueueProperties properties,
            ListableBeanFactory beans,
            ObjectProvider<BrokerKind> kinds,
            ObjectProvider<ForwardMapper> mappers,
            DelayQueueEngine engine,
            ObjectProvider<DelayListenerRegistry> registry) {
        return new Forwards(
                properties.forward(),
                properties.listenerLevels(beans),
                new BrokerBeans(beans, kinds.orderedStream().toList()),
                mappers.orderedStream().toList(),
                engine.tasks(),
                registry);
    }
}
