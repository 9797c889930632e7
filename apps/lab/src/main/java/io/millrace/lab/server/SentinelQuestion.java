// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

import io.millrace.lab.client.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/** Asks Sentinels for the address of a primary. */
public final class SentinelQuestion {

    /** A Sentinel that is down must not hold up the lab. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /**
     * Asks one Sentinel after the other, until one of them names the primary.
     *
     * @param login login, database and certificate of the primary
     * @return {@code login} at the address of the primary, with the Sentinels
     * @throws LabException if no Sentinel names the primary; with the reason of each
     */
    public static Target primary(Target login, Target.Sentinels sentinels) {
        List<String> reasons = new ArrayList<>();
        for (Target.Address address : sentinels.addresses()) {
            Target sentinel =
                    login.at(address.host(), address.port()).withoutLogin().withTimeout(TIMEOUT);
            try (Jedis jedis = ServerNodes.openWithin(sentinel)) {
                List<String> primary = jedis.sentinelGetMasterAddrByName(sentinels.primary());
                if (primary != null) {
                    return login.at(primary.get(0), Integer.parseInt(primary.get(1)))
                            .behind(sentinels);
                }
                reasons.add(sentinel + " does not know the primary");
            } catch (JedisException e) {
                reasons.add(sentinel + ": " + e.getMessage());
            }
        }
        throw new LabException("no Sentinel names the primary: name=" + sentinels.primary() + ", reasons=" + reasons
                + ". Check the addresses and the name.");
    }

    private SentinelQuestion() {}
}
