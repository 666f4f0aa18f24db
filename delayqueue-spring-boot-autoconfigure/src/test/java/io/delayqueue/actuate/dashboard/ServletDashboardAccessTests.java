package io.delayqueue.actuate.dashboard;

import org.springframework.boot.WebApplicationType;

class ServletDashboardAccessTests extends DashboardAccessContract {

    ServletDashboardAccessTests() {
        super(WebApplicationType.SERVLET);
    }
}
