// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;

/**
 * Work whose class is only on the class path of the contender.
 *
 * @param program name of a class that implements {@link Work}, and has a public constructor for {@code settings}
 */
record ProgramWork(String program, Object settings) implements Work {

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        Object work = Class.forName(program).getConstructor(settings.getClass()).newInstance(settings);
        return ((Work) work).open(context);
    }
}
