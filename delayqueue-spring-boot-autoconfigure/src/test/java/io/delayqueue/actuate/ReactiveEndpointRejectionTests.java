package io.delayqueue.actuate;

import org.springframework.boot.WebApplicationType;

class ReactiveEndpointRejectionTests extends EndpointRejectionContract {

    ReactiveEndpointRejectionTests() {
        super(WebApplicationType.REACTIVE);
    }
}
