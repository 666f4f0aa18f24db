package io.delayqueue.actuate;

import org.springframework.boot.WebApplicationType;

class ReactiveEndpointAccessTests extends EndpointAccessContract {

    ReactiveEndpointAccessTests() {
        super(WebApplicationType.REACTIVE);
    }
}
