// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/** Refuses unknown and repeated parameters of the routes. The routes of the actuator are not checked. */
public final class KnownParameters implements HandlerInterceptor {

    private static final String OURS = "io.millrace.server.";

    private final Map<Method, Set<String>> known = new ConcurrentHashMap<>();

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        String query = request.getQueryString();
        if (query != null
                && handler instanceof HandlerMethod route
                && route.getBeanType().getName().startsWith(OURS)) {
            check(query, known.computeIfAbsent(route.getMethod(), KnownParameters::parametersOf));
        }
        return true;
    }

    private static Set<String> parametersOf(Method route) {
        return Arrays.stream(route.getParameters())
                .filter(parameter -> parameter.isAnnotationPresent(RequestParam.class))
                .map(parameter -> {
                    String name = parameter.getAnnotation(RequestParam.class).name();
                    return name.isEmpty() ? parameter.getName() : name;
                })
                .collect(Collectors.toUnmodifiableSet());
    }

    private static void check(String query, Set<String> known) {
        Set<String> seen = new HashSet<>();
        for (String pair : query.split("&", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            String name = decoded(pair.substring(0, pair.indexOf('=') < 0 ? pair.length() : pair.indexOf('=')));
            if (!known.contains(name)) {
                throw new Refusal(
                        Problem.BAD_REQUEST,
                        "There is an unknown parameter. The parameters of this resource are " + known + ".");
            }
            if (!seen.add(name)) {
                throw new Refusal(Problem.BAD_REQUEST, "The parameter " + name + " is repeated.");
            }
        }
    }

    private static String decoded(String name) {
        try {
            return URLDecoder.decode(name, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return name;
        }
    }
}
