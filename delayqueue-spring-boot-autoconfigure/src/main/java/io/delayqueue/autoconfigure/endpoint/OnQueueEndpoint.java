package io.delayqueue.autoconfigure.endpoint;

import io.delayqueue.actuate.DelayQueueEndpoint;
import io.delayqueue.actuate.dashboard.DelayQueueDashboardEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;

/** Matches if any of the queue's endpoints is exposed. */
final class OnQueueEndpoint extends AnyNestedCondition {

    OnQueueEndpoint() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnAvailableEndpoint(endpoint = DelayQueueEndpoint.class, exposure = EndpointExposure.WEB)
    static final class OnEndpoint {}

    @ConditionalOnAvailableEndpoint(DelayQueueDashboardEndpoint.class)
    static final class OnDashboard {}
}
