package io.delayqueue.actuate.dashboard;

import org.springframework.boot.WebApplicationType;

class ReactiveDashboardAccessTests extends DashboardAccessContract {

    ReactiveDashboardAccessTests() {
        super(WebApplicationType.REACTIVE);
    }
}
