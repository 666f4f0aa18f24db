package io.delayqueue.autoconfigure;

import io.delayqueue.annotation.DelayListenerConfigurer;
import io.delayqueue.annotation.DelayListenerEndpointRegistrar;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.validation.Validator;

/**
 * Validates payloads with the application's validator. It runs first, so that other configurers can set another
 * validator.
 */
record PayloadValidation(ListableBeanFactory beans) implements DelayListenerConfigurer, Ordered {

    /** Validators of Spring's web support. They exist even without Bean Validation and then accept every object. */
    private static final Set<String> WEB_VALIDATORS = Set.of("mvcValidator", "webFluxValidator");

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void configureDelayListeners(DelayListenerEndpointRegistrar registrar) {
        registrar.setValidator(validator());
    }

    private @Nullable Validator validator() {
        String[] names = beans.getBeanNamesForType(Validator.class);
        if (names.length == 1) {
            return WEB_VALIDATORS.contains(names[0]) ? null : beans.getBean(names[0], Validator.class);
        }
        return beans.getBeanProvider(Validator.class).getIfUnique();
    }
}
