package io.delayqueue.autoconfigure.http;

import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;

/** Matches where a property opens an HTTP door. */
final class OnAnyDoor extends AnyNestedCondition {

    OnAnyDoor() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnBooleanProperty("delayqueue.http.compat.enabled")
    static final class OfCompat {}

    @ConditionalOnBooleanProperty("delayqueue.http.api.enabled")
    static final class OfApi {}
}
