package io.delayqueue.actuate.dashboard;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** A test of the dashboard in a browser, served by a real application on a real Redis; everything is allowed. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@RequiresBrowser
@SpringBootTest(
        classes = DashboardApplication.class,
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "management.endpoints.web.exposure.include=delayqueue,delayqueuedashboard",
            "management.endpoint.delayqueue.access=unrestricted",
            "management.endpoint.delayqueue.show-payloads=always",
            "management.endpoint.delayqueuedashboard.access=read-only"
        })
@interface DashboardTest {}
