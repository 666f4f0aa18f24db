package io.delayqueue.actuate.dashboard;

import org.springframework.boot.WebApplicationType;

class ServletDashboardServingTests extends DashboardServingContract {

    ServletDashboardServingTests() {
        super(WebApplicationType.SERVLET);
    }
}
