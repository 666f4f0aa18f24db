package io.delayqueue.actuate.dashboard;

import org.springframework.boot.WebApplicationType;

class ReactiveDashboardServingTests extends DashboardServingContract {

    ReactiveDashboardServingTests() {
        super(WebApplicationType.REACTIVE);
    }
}
