package settings

import "gopkg.in/yaml.v3"

type yamlNode = yaml.Node

const yamlMapping = yaml.MappingNode
