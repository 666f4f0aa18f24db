package io.delayqueue.actuate.dashboard;

import io.delayqueue.annotation.DelayListener;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.web.SecurityFilterChain;

/** An application with a dashboard for unauthenticated users. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({DashboardApplication.Listeners.class, QueueState.class, RequestCounter.class})
class DashboardApplication {

    /** Markup that runs a script if it is not shown as text. */
    static final String HOSTILE = "<img src=x onerror=\"window.hurt=1\">";

    /** A topic whose messages are dead-lettered at once while {@code mailsFail}. */
    static final String MAILS = "mails";

    /** A topic whose messages fail and are retried after an hour. */
    static final String INVOICES = "invoices";

    /** A topic whose handlers wait for {@code parcels}. */
    static final String PARCELS = "parcels";

    /** A topic without a listener. */
    static final String LONELY = "lonely";

    @Bean
    SecurityFilterChain permitAll(HttpSecurity http, @Value("${test.csrf:false}") boolean csrf) {
        return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .csrf(csrf ? CsrfConfigurer::spa : AbstractHttpConfigurer::disable)
                .build();
    }

    static class Listeners {

        volatile boolean mailsFail = true;
        final Semaphore parcels = new Semaphore(0);

        @DelayListener(id = "mails", topic = MAILS, maxAttempts = "1")
        void mail(String text) {
            if (mailsFail) {
                throw new IllegalStateException("no mail to " + text);
            }
        }

        @DelayListener(id = "hostile", topic = HOSTILE, maxAttempts = "1")
        void hostile(String text) {
            throw new IllegalStateException(HOSTILE);
        }

        @DelayListener(id = "invoices", topic = INVOICES, backoff = "fixed 1h")
        void invoice(String text) {
            throw new IllegalStateException("no invoice: " + HOSTILE);
        }

        @DelayListener(id = "parcels", topic = PARCELS, concurrency = "2")
        void parcel(String text) throws InterruptedException {
            parcels.tryAcquire(100, TimeUnit.SECONDS);
        }
    }
}
