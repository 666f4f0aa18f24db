package io.delayqueue.actuate;

import org.springframework.boot.WebApplicationType;

class ServletEndpointRejectionTests extends EndpointRejectionContract {

    ServletEndpointRejectionTests() {
        super(WebApplicationType.SERVLET);
    }
}
