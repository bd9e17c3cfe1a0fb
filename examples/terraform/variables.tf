variable "posthorn_url" {
  description = "The URL of Posthorn, without a path."
  type        = string
}

variable "operator_key" {
  description = "An API key with the scope admin, phk_…. Give it as TF_VAR_operator_key."
  type        = string
  sensitive   = true
}

variable "organization" {
  description = "The organization: its uid, its name and its labels."
  type        = object({ uid = string, name = string, metadata = map(string) })
}

variable "webhooks" {
  description = "The webhooks by their uid, each with the fields of UpsertWebhookInput. What is left out keeps its value."
  type        = any
}

variable "reconcile" {
  description = "Whether to send all upserts again. What is as configured does not change."
  type        = bool
  default     = false
}
