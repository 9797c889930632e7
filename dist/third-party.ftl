<#-- The list of the libraries in an archive, with their licences. -->
Libraries in this archive, and their licences. The texts of the licences are in the folder licenses, and in the jars.

<#list dependencyMap as entry>
<#assign project = entry.getKey()/>
${project.artifactId} ${project.version}
    ${entry.getValue()?join(", ")}<#if project.url??>
    ${project.url}</#if>

</#list>
