// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.client.FusionOff;
import io.millrace.client.FusionOff.OffReason;
import io.millrace.client.command.Fusion;
import io.millrace.resp.Reply;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Determines which fused commands a server supports. The reply to {@code HELLO} contains the name and the version of
 * the server. Without this reply, or for an unknown server, no command is fused. A {@link PermissionTest} then shows
 * which fused commands the user may run.
 */
public final class FusionSupport {

    private static final Pattern VERSION = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})(\\D.*)?");

    private FusionSupport() {}

    /** Returns which kinds in {@code wanted} a server with this {@code hello} reply supports. */
    public static FusionDecision of(Reply hello, Set<Fusion> wanted) {
        Optional<String> server = field(hello, "server");
        Optional<String> version = field(hello, "version");
        Matcher numbers = VERSION.matcher(version.orElse(""));
        if (server.isEmpty() || !numbers.matches()) {
            return unknownServer(wanted, server.orElse("no name"), version.orElse("no version"));
        }
        long number = Long.parseLong(numbers.group(1)) * 1_000_000 + Long.parseLong(numbers.group(2));
        FusionDecision decision = switch (server.get().toLowerCase(Locale.ROOT)) {
            case "redis" -> known(wanted, number >= 6_000_002, number >= 8_000_004);
            case "valkey" -> known(wanted, true, number >= 9_000_001);
            default -> unknownServer(wanted, server.get(), version.orElse("no version"));
        };
        // The keys of different commands may have different hash slots.
        return decision.withOneSlot(field(hello, "mode").orElse("").equals("cluster"));
    }

    /** Returns the decision for a connection that uses RESP2. */
    public static FusionDecision overResp2(Set<Fusion> wanted) {
        return FusionDecision.allOff(wanted, OffReason.UNKNOWN_SERVER, "the connection uses RESP2");
    }

    private static FusionDecision unknownServer(Set<Fusion> wanted, String name, String version) {
        String message = "the server identifies itself as " + name + ", " + version;
        return FusionDecision.allOff(wanted, OffReason.UNKNOWN_SERVER, message);
    }

    private static FusionDecision known(Set<Fusion> wanted, boolean is62, boolean is84) {
        return FusionDecision.NONE.plus(wanted, kind -> {
            FusionRule rule = FusionRule.of(kind);
            boolean known = switch (rule.since()) {
                case HELLO -> true;
                case REDIS_6_2 -> is62;
                case REDIS_8_4 -> is84;
            };
            return known
                    ? null
                    : new FusionOff(kind, OffReason.UNKNOWN_COMMAND, "the version of the server is too old");
        });
    }

    /** Returns the value of the field {@code name} of a {@code hello} reply. */
    public static Optional<String> field(Reply hello, String name) {
        if (hello instanceof Reply.MapReply map) {
            for (int i = 0; i + 1 < map.keysAndValues().size(); i += 2) {
                if (text(map.keysAndValues().get(i)).equals(name)) {
                    return Optional.of(text(map.keysAndValues().get(i + 1)));
                }
            }
        }
        return Optional.empty();
    }

    private static String text(Reply reply) {
        return switch (reply) {
            case Reply.BulkString bulk -> bulk.text();
            case Reply.SimpleString simple -> simple.text();
            default -> "";
        };
    }
}
