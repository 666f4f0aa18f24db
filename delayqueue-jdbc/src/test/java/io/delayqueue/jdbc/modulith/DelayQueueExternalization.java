package io.delayqueue.jdbc.modulith;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Instant;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.BrokerRouting;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;

@Configuration(proxyBeanMethods = false)
class DelayQueueExternalization {

    /** An event whose message is not due at once. */
    interface Delayed {
        Instant dueAt();
    }

    @Bean
    EventExternalizerModuleListener delayQueueExternalizer(
            EventExternalizationConfiguration configuration, DelayQueueOperations delayQueue) {
        StandardEvaluationContext context = new StandardEvaluationContext();
        return new EventExternalizerModuleListener(configuration, (event, target) -> {
            BrokerRouting routing = BrokerRouting.of(target, context);
            DelayMessage.Builder message = DelayMessage.to(routing.getTarget(event))
                    .id(routing.getKey(event))
                    .payload(event)
                    .onDuplicate(OnDuplicate.KEEP);
            if (event instanceof Delayed delayed) {
                message.dueAt(delayed.dueAt());
            }
            return delayQueue.sendAsync(message.build());
        });
    }
}
