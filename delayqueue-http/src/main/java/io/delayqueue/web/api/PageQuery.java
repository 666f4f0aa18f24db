package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.web.api.json.Formats;
import io.delayqueue.web.api.json.InvalidRequestException;
import java.net.URLDecoder;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The query parameters of a page of a list.
 *
 * @param count maximum number of elements; by default 50, or delayqueue.http.api.max-count if that is less
 * @param page the value of "next" in the previous page; by default the first page
 */
public record PageQuery(int count, @Nullable String page) {

    private static final int DEFAULT_COUNT = 50;

    static PageQuery read(@Nullable String query, int maxCount) {
        Map<String, String> given = parameters(query);
        String count = given.remove("count");
        String page = given.remove("page");
        if (!given.isEmpty()) {
            throw new InvalidRequestException(unknown(given) + ": the parameters are count, page.");
        }
        return new PageQuery(count == null ? Math.min(DEFAULT_COUNT, maxCount) : number(count, maxCount), page);
    }

    /** Rejects the parameters of a request to a path without parameters. */
    static void reject(@Nullable String query) {
        Map<String, String> given = parameters(query);
        if (!given.isEmpty()) {
            throw new InvalidRequestException(unknown(given) + ": send fields in the JSON body.");
        }
    }

    /**
     * Returns the name that the page begins after; null for the first page.
     *
     * @param of plural of what is listed
     */
    @Nullable
    String after(String of) {
        try {
            return page == null ? null : Formats.ofBase64Url(page);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException("The parameter 'page' must be the value of 'next' in a page of " + of
                    + ", but was '" + page + "'.");
        }
    }

    /** Returns the parameter for the page after a name. */
    static @Nullable String next(@Nullable String last) {
        return last == null ? null : Formats.base64Url(last);
    }

    private static String unknown(Map<String, String> given) {
        return "Unknown query parameter '" + given.keySet().iterator().next() + "'";
    }

    private static int number(String count, int max) {
        int number;
        try {
            number = Integer.parseInt(count);
        } catch (NumberFormatException e) {
            number = 0;
        }
        if (number < 1 || number > max) {
            throw new InvalidRequestException(
                    "The parameter 'count' must be an integer from 1 to " + max + ", but was '" + count + "'.");
        }
        return number;
    }

    /** Ignores names that begin with an underscore, such as Spring Security's {@code _csrf}. */
    private static Map<String, String> parameters(@Nullable String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (query == null) {
            return parameters;
        }
        for (String each : query.split("&", -1)) {
            int equals = each.indexOf('=');
            String name = decode(equals < 0 ? each : each.substring(0, equals));
            String value = equals < 0 ? "" : decode(each.substring(equals + 1));
            if (name.isEmpty() || name.startsWith("_")) {
                continue;
            }
            if (parameters.put(name, value) != null) {
                throw new InvalidRequestException("The parameter '" + name + "' is given more than once.");
            }
        }
        return parameters;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, UTF_8);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException(
                    "The query has a percent sign without two hexadecimal digits in '" + text + "'.");
        }
    }
}
