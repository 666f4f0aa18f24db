package io.delayqueue.autoconfigure;

import io.delayqueue.convert.JsonPayloadConverter;
import io.delayqueue.convert.PayloadConverter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.json.JsonMapper;

/** Auto-configuration of JSON payloads by the application's mapper. A {@code PayloadConverter} bean replaces it. */
@AutoConfiguration(after = JacksonAutoConfiguration.class)
@ConditionalOnClass(JsonMapper.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
public final class PayloadConverterAutoConfiguration {

    @Bean
    @ConditionalOnBean(JsonMapper.class)
    @ConditionalOnMissingBean(PayloadConverter.class)
    JsonPayloadConverter delayQueuePayloadConverter(
            JsonMapper mapper, ObjectProvider<DelayQueueProperties> properties) {
        DelayQueueProperties present = properties.getIfAvailable(); // without Redis, the queue has no properties
        return present == null
                ? new JsonPayloadConverter(mapper)
                : new JsonPayloadConverter(
                        mapper,
                        present.payload().onAbsentPrimitive(),
                        present.payload().onMismatch());
    }
}
