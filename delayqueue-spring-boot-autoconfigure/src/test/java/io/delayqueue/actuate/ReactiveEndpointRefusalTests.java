package io.delayqueue.actuate;

import org.springframework.boot.WebApplicationType;

class ReactiveEndpointRefusalTests extends EndpointRefusalContract {

    ReactiveEndpointRefusalTests() {
        super(WebApplicationType.REACTIVE);
    }
}
