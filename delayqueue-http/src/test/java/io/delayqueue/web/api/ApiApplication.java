package io.delayqueue.web.api;

import io.delayqueue.annotation.DelayListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.propertyeditors.StringTrimmerEditor;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodParameter;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/** An application with settings for its own requests and responses, which must not apply to the HTTP API. */
@SpringBootConfiguration
@EnableAutoConfiguration
class ApiApplication {

    /** The arguments of {@link #cancel}. */
    final BlockingQueue<CancelOrder> cancelled = new LinkedBlockingQueue<>();

    /** The number of requests that became asynchronous. */
    final AtomicInteger asynchronous = new AtomicInteger();

    record CancelOrder(String orderNo, int totalAmount) {}

    @DelayListener(topic = "listened")
    void cancel(CancelOrder order) {
        cancelled.add(order);
    }

    @Bean
    SecurityFilterChain everybody(HttpSecurity http) {
        return http.csrf(csrf -> csrf.disable())
                .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .build();
    }

    /** Like Spring Security's CSRF filter and filters for hidden methods. */
    @Bean
    OncePerRequestFilter parameters() {
        return new OncePerRequestFilter() {

            @Override
            protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                    throws IOException, ServletException {
                if (request.getHeader("Read-Parameters") != null) {
                    request.getParameter("_method");
                }
                chain.doFilter(request, response);
            }
        };
    }

    /** Lets a wait fail before it begins if the request asks for it. */
    @Bean
    WebMvcConfigurer failingWaits() {
        return new WebMvcConfigurer() {

            @Override
            public void configureAsyncSupport(AsyncSupportConfigurer configurer) {
                configurer.registerDeferredResultInterceptors(new DeferredResultProcessingInterceptor() {

                    @Override
                    public <T> void beforeConcurrentHandling(NativeWebRequest request, DeferredResult<T> result) {
                        if (request.getHeader("Fail-Wait") != null) {
                            throw new IllegalStateException("for the test");
                        }
                    }

                    @Override
                    public <T> void preProcess(NativeWebRequest request, DeferredResult<T> result) {
                        asynchronous.incrementAndGet();
                    }
                });
            }
        };
    }

    @RestController
    static class Own {

        @GetMapping("/own")
        CancelOrder own() {
            return new CancelOrder("4711", 5);
        }
    }

    /** Wraps responses, trims parameters and formats failures of the application's controllers. */
    @RestControllerAdvice
    static class Opinions implements ResponseBodyAdvice<Object> {

        @InitBinder
        void trim(WebDataBinder binder) {
            binder.registerCustomEditor(String.class, new StringTrimmerEditor(true));
        }

        @ExceptionHandler(Exception.class)
        String failed() {
            return "the application's own failure";
        }

        @Override
        public boolean supports(MethodParameter returnType, Class<? extends HttpMessageConverter<?>> converterType) {
            return true;
        }

        @Override
        public Object beforeBodyWrite(
                @Nullable Object body,
                MethodParameter returnType,
                MediaType selectedContentType,
                Class<? extends HttpMessageConverter<?>> selectedConverterType,
                ServerHttpRequest request,
                ServerHttpResponse response) {
            return Map.of("wrapped", String.valueOf(body));
        }
    }
}
