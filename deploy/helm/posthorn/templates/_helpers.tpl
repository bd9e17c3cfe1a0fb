{{- define "posthorn.name" -}}
{{- if contains "posthorn" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-posthorn" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "posthorn.selector" -}}
app.kubernetes.io/name: posthorn
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "posthorn.labels" -}}
{{ include "posthorn.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "posthorn.image" -}}
{{- if .Values.image.digest }}{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}{{ else }}{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}{{ end }}
{{- end }}

{{- define "posthorn.podSecurity" -}}
automountServiceAccountToken: false
# Kubernetes would set variables such as POSTHORN_PORT, which are no settings of Posthorn.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "posthorn.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* The API or the worker; expects root, role and values. */}}
{{- define "posthorn.deployment" -}}
{{- $root := .root }}
{{- $name := printf "%s-%s" (include "posthorn.name" $root) .role }}
{{- $keys := $root.Values.secret.keys }}
{{- $files := dict "DATABASE_URL" $keys.databaseUrl "POSTHORN_ENCRYPTION_KEYS" $keys.encryptionKeys "POSTHORN_DIRECT_DATABASE_URL" $keys.directDatabaseUrl "POSTHORN_EGRESS_PROXY" $keys.egressProxy "POSTHORN_OIDC_CLIENT_SECRET" $keys.oidcClientSecret "POSTHORN_SMTP_URL" $keys.smtpUrl }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "posthorn.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  {{- if not (and (eq .role "worker") $root.Values.keda.enabled) }}
  replicas: {{ .values.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "posthorn.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
  strategy:
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  template:
    metadata:
      labels:
        {{- include "posthorn.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
      {{- with .values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "posthorn.podSecurity" $root | nindent 6 }}
      # 5 s until no request arrives any more, and 15 s to finish requests and attempts.
      terminationGracePeriodSeconds: 20
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "posthorn.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ .role }}
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: posthorn
          image: {{ include "posthorn.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [start, --role, {{ .role }}]
          env:
            - name: POSTHORN_METRICS_PORT
              value: "9464"
            {{- range $setting, $key := $files }}
            {{- if $key }}
            - name: {{ $setting }}_FILE
              value: /run/secrets/posthorn/{{ $key }}
            {{- end }}
            {{- end }}
            {{- with $keys.otlpHeaders }}
            - name: OTEL_EXPORTER_OTLP_HEADERS
              valueFrom:
                secretKeyRef:
                  name: {{ $root.Values.secret.name }}
                  key: {{ . }}
            {{- end }}
            {{- range $setting, $value := $root.Values.settings }}
            - name: {{ $setting }}
              value: {{ $value | quote }}
            {{- end }}
          ports:
            - name: http
              containerPort: 4000
            - name: metrics
              containerPort: 9464
          # While it starts, it may wait 30 s for Postgres.
          startupProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 2
            failureThreshold: 60
          # A process that Postgres does not answer is not ready, but a restart would not help.
          livenessProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 3
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 5
            timeoutSeconds: 4
            failureThreshold: 2
          lifecycle:
            preStop:
              sleep:
                seconds: 5
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          {{- include "posthorn.containerSecurity" $root | nindent 10 }}
          volumeMounts:
            - name: secrets
              mountPath: /run/secrets/posthorn
              readOnly: true
            {{- with $root.Values.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        - name: secrets
          secret:
            secretName: {{ required "Set secret.name to a Secret with the keys database-url and encryption-keys." $root.Values.secret.name }}
            defaultMode: 0440
            items:
              {{- range $setting, $key := $files }}
              {{- if $key }}
              - { key: {{ $key }}, path: {{ $key }} }
              {{- end }}
              {{- end }}
        {{- with $root.Values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end }}
