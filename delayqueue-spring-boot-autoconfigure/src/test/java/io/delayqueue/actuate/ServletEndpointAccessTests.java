package io.delayqueue.actuate;

import org.springframework.boot.WebApplicationType;

class ServletEndpointAccessTests extends EndpointAccessContract {

    ServletEndpointAccessTests() {
        super(WebApplicationType.SERVLET);
    }
}
