package io.delayqueue.actuate;

import org.springframework.boot.WebApplicationType;

class ServletEndpointRefusalTests extends EndpointRefusalContract {

    ServletEndpointRefusalTests() {
        super(WebApplicationType.SERVLET);
    }
}
