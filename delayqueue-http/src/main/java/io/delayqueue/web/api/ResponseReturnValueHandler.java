package io.delayqueue.web.api;

import io.delayqueue.management.ManagementJson;
import io.delayqueue.web.api.response.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Writes responses directly, without the application's message converters and response advices, with the id of the
 * request, and with headers against caching and MIME sniffing. Thread-safe.
 */
public final class ResponseReturnValueHandler implements HandlerMethodReturnValueHandler {

    private static final String JSON = "application/json";
    private static final String PROBLEM = "application/problem+json";

    @Override
    public boolean supportsReturnType(MethodParameter returnType) {
        return returnType.getParameterType() == Response.class
                || returnType.getParameterType() == PendingResponse.class;
    }

    @Override
    public void handleReturnValue(
            @Nullable Object returnValue,
            MethodParameter returnType,
            ModelAndViewContainer mavContainer,
            NativeWebRequest webRequest)
            throws Exception {
        if (returnValue instanceof PendingResponse<?> pending) {
            boolean waits = false;
            try {
                Response<?> completed = pending.await();
                if (completed == null) {
                    pending.defer(WebAsyncUtils.getAsyncManager(webRequest), mavContainer);
                    waits = true;
                } else {
                    write(completed, mavContainer, webRequest);
                }
            } finally {
                if (!waits) {
                    pending.end();
                }
            }
        } else {
            write((Response<?>) Objects.requireNonNull(returnValue), mavContainer, webRequest);
        }
    }

    private static void write(Response<?> response, ModelAndViewContainer mavContainer, NativeWebRequest webRequest) {
        mavContainer.setRequestHandled(true);
        HttpServletResponse servletResponse =
                Objects.requireNonNull(webRequest.getNativeResponse(HttpServletResponse.class));
        servletResponse.setStatus(response.status());
        servletResponse.setHeader("Cache-Control", "no-store");
        servletResponse.setHeader("X-Content-Type-Options", "nosniff");
        String requestId = RequestId.of(Objects.requireNonNull(webRequest.getNativeRequest(HttpServletRequest.class)));
        servletResponse.setHeader(RequestId.HEADER, requestId);
        response.headers().forEach(servletResponse::setHeader);
        Object body = response.body() instanceof Problem problem ? problem.of(requestId) : response.body();
        byte[] bytes = body == null ? new byte[0] : ManagementJson.write(body);
        if (body != null) {
            servletResponse.setContentType(body instanceof Problem ? PROBLEM : JSON);
            servletResponse.setContentLength(bytes.length);
        }
        try {
            servletResponse.getOutputStream().write(bytes);
            servletResponse.flushBuffer();
        } catch (IOException e) {
            return; // the client has disconnected: nothing can be reported to it
        }
        response.written().run();
    }
}
