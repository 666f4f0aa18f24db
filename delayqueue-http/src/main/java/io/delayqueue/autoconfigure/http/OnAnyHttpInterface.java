package io.delayqueue.autoconfigure.http;

import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;

/** Matches if a property enables one of the HTTP interfaces. */
final class OnAnyHttpInterface extends AnyNestedCondition {

    OnAnyHttpInterface() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnBooleanProperty("delayqueue.http.compat.enabled")
    static final class OfCompat {}

    @ConditionalOnBooleanProperty("delayqueue.http.api.enabled")
    static final class OfApi {}
}
